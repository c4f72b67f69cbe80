package cli

import (
	"context"
	"strings"
)

// Lines returns the lines of standard input as they come, without the blank
// ones. The channel is closed at the end of input. It is for examples that set
// Chats, once each. Who waits for a line of a terminal can't be called back: the
// reader ends with the next line, the input or the process.
func (o *Options) Lines(ctx context.Context) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for {
			line, err := o.lines.ReadString('\n')
			if line = strings.TrimSpace(line); line != "" {
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
