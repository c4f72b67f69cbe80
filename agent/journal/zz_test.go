package journal
import ("testing";"os";"syscall";"time";"context";"strings";"path/filepath";"fmt")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func zzrun(name string,k int,f func()){ c:=cpu(); s:=time.Now(); for range k { f() }; fmt.Println(name,"cpu/op",(cpu()-c)/time.Duration(k),"wall/op",time.Since(s)/time.Duration(k)) }
func TestZZ(t *testing.T){
 d,_:=Open(t.TempDir()); real:=d.syncs.file
 e:=Entry{At:time.Now(),Kind:"said",Fact:struct{Text string}{strings.Repeat("x",900)}}
 ctx:=context.Background()
 n:=0
 run:=func(name string,k int,f func()){ c:=cpu(); s:=time.Now(); for range k { f() }; fmt.Println(name,"cpu/op",(cpu()-c)/time.Duration(k),"wall/op",time.Since(s)/time.Duration(k)) }
 d.syncs.file=func(*os.File)error{return nil}
 run("append nosync",5000,func(){ if err:=d.Append(ctx,"run-1",n,e);err!=nil{t.Fatal(err)}; n++ })
 run("encode",5000,func(){ appendRecords(nil,n,[]Entry{e}) })
 d.syncs.file=real
 run("append sync",1500,func(){ d.Append(ctx,"run-1",n,e); n++ })
 f,_:=os.Create(filepath.Join(t.TempDir(),"x")); buf:=make([]byte,1024)
 run("bare nosync",5000,func(){ f.Write(buf) })
 run("bare sync",1500,func(){ f.Write(buf); f.Sync() })
 p:=f.Name()
 run("open+close",5000,func(){ f,_:=os.OpenFile(p,os.O_RDWR,0o600); f.Close() })
 run("stat",5000,func(){ os.Stat(p) })
}
