package compress

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triad-go/triad/llm"
)

// ask returns the summary that a request gets. A reply in another form is asked
// for once more; one that is none is a failure at once.
func (m *summarizer) ask(ctx context.Context, req llm.Request) (string, error) {
	reply, err := m.reply(ctx, req)
	if err != nil {
		return "", err
	}
	if s, ok := m.parse(reply.Message.Text()); ok {
		return m.bounded(s), nil
	}
	again := fill(m.texts().Repeat, "sections", strings.Join(m.texts().sections(), "\n"))
	req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], reply.Message, llm.UserText(again))
	if reply, err = m.reply(ctx, req); err != nil {
		return "", err
	}
	s, ok := m.parse(reply.Message.Text())
	if !ok {
		return "", errors.New("compress: the summary lacks its sections, twice")
	}
	return m.bounded(s), nil
}

// reply makes a request. What it costs counts, whatever comes of it.
func (m *summarizer) reply(ctx context.Context, req llm.Request) (llm.Reply, error) {
	reply, wasted, err := llm.Read(ctx, m.client, req, nil)
	m.out.Usage = m.out.Usage.Plus(wasted).Plus(reply.Usage)
	if err != nil {
		return reply, fmt.Errorf("compress: asking for a summary: %w", err)
	}
	m.out.Model = reply.Model
	return reply, usable(reply)
}

// usable says why a reply is no summary.
func usable(reply llm.Reply) error {
	switch {
	case reply.Finish == llm.FinishRefused:
		return errors.New("compress: the model refused to write a summary")
	case reply.Finish == llm.FinishError, reply.Finish == llm.FinishAborted:
		return errors.New("compress: the summary was broken off")
	case len(reply.Message.Calls()) > 0:
		return errors.New("compress: the model called tools in place of writing a summary")
	case strings.TrimSpace(reply.Message.Text()) == "":
		return errors.New("compress: the model wrote an empty summary")
	}
	return nil
}
