package tool

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A registry over another sees that one as it is at each moment.
func TestRegistryWith(t *testing.T) {
	named := func(name, about string) Tool {
		return New(name, about, func(context.Context, struct{}) (string, error) { return "", nil }, ReadOnly)
	}
	names := func(r *Registry) (list []string) {
		for _, s := range r.List().Specs() {
			list = append(list, s.Name+" "+s.Description)
		}
		return list
	}
	base := NewRegistry(named("a", "base"))
	over := base.With(named("x", "over"), named("b", "over"))
	require.Equal(t, []string{"a base", "x over", "b over"}, names(over))
	require.Same(t, over.List(), over.List(), "nothing has changed")
	require.NoError(t, base.Add(named("b", "base")))
	require.Equal(t, []string{"a base", "b base", "x over"}, names(over), "the base's own comes first")
	require.True(t, base.Remove("b"))
	require.True(t, base.Remove("a"))
	require.NoError(t, over.Add(named("c", "over")))
	require.Equal(t, []string{"x over", "b over", "c over"}, names(over))
	require.Empty(t, names(base))
	base.SetTexts(Texts{UnknownTool: "?"})
	require.Equal(t, "?", over.List().words().UnknownTool)

	var none *Registry
	require.Equal(t, []string{"x over"}, names(none.With(named("x", "over"))))
	require.NoError(t, none.With().Err())
	require.ErrorIs(t, base.With(named("", "x")).Err(), ErrNoName)
	require.ErrorIs(t, NewRegistry(named("", "x")).With().Err(), ErrNoName)
}
