package fs_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/triad-go/triad/tool"
	"github.com/triad-go/triad/tool/fs"
)

// An agent that may work in one directory. One that may only look gets
// [fs.FS.ReadTools].
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files, err := fs.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer files.Close()
	tools := tool.NewRegistry(files.Tools()...)

	call := func(name, arguments string) {
		found, _ := tools.List().Find(name)
		result := found.Do(context.Background(), tool.Call{Name: name, Arguments: []byte(arguments)}).Result
		fmt.Println(result.Text)
	}
	call("write_file", `{"path": "notes/todo.txt", "content": "buy milk\nwater plants\n"}`)
	call("edit_file", `{"path": "notes/todo.txt", "old_text": "milk", "new_text": "oat milk"}`)
	call("grep", `{"pattern": "(?i)MILK"}`)
	call("read_file", `{"path": "../secrets"}`)

	// Output:
	// Created notes/todo.txt (22 bytes).
	// Edited notes/todo.txt: replaced 1 occurrence, at line 1.
	// notes/todo.txt:1:buy oat milk
	//
	// fs: reading "../secrets": outside the root directory
}
