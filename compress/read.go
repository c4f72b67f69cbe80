package compress

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/triad-go/triad/tool"
)

// ReadResult is the name of the tool that reads an offloaded result back.
const ReadResult = "read_result"

const (
	defaultPage = 8_000 // characters
	maxPage     = 30_000
)

type readIn struct {
	ID     string `json:"id" jsonschema:"description=The id that the shortened result names; or list for all that were kept"`
	Offset int    `json:"offset,omitempty" jsonschema:"description=The character to begin at (0 is the first),minimum=0"`
	Limit  int    `json:"limit,omitempty" jsonschema:"description=How many characters (8000 if not given; 30000 at most),minimum=1"`
}

// reader returns read_result on this store. A run reads what it has kept
// itself and nothing else: the call's key says which run asks.
func (o *Offload) reader(words *Texts) tool.Tool {
	return tool.NewWithCall(ReadResult, words.ReadResult, func(_ context.Context, c tool.Call, in readIn) (string, error) {
		run := ""
		if i := strings.LastIndexByte(c.Key, '/'); i > 0 {
			run = c.Key[:i]
		}
		text, err := store{o.Dir}.text(run, in.ID)
		switch {
		case errors.Is(err, errNoID):
			return "", errors.New(fill(words.NoResult, "id", in.ID))
		case err != nil:
			return "", errors.New(words.Unreadable) // what the system says names the file
		}
		length := utf8.RuneCountInString(text)
		if in.Offset >= length {
			return "", errors.New(fill(words.Beyond, "length", strconv.Itoa(length), "offset", strconv.Itoa(in.Offset)))
		}
		end := min(in.Offset+min(or(in.Limit, defaultPage), maxPage), length)
		page := prefix(text[len(prefix(text, in.Offset)):], end-in.Offset)
		if in.Offset == 0 && end == length {
			return page, nil
		}
		note := words.Page
		if end == length {
			note = words.LastPage
		}
		return page + fill(note, "from", fmt.Sprint(in.Offset), "to", fmt.Sprint(end), "length", fmt.Sprint(length)), nil
	}, tool.ReadOnly)
}
