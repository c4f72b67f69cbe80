package tool

import (
	"context"
	"sync"
	"sync/atomic"
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

// Removing takes away what is the registry's own, and is true for one alone.
func TestRemove(t *testing.T) {
	named := func(name string) Tool {
		return New(name, "", func(context.Context, struct{}) (string, error) { return "", nil }, ReadOnly)
	}
	base := NewRegistry(named("a"))
	over := base.With(named("b"))
	require.False(t, over.Remove("a"), "it is the base's")
	require.True(t, over.Remove("b"))
	require.False(t, over.Remove("b"))
	require.Equal(t, 1, over.List().Len())

	for range 200 {
		r := NewRegistry(named("x"), named("y"))
		var removed atomic.Int32
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if r.Remove("x") {
					removed.Add(1)
				}
			})
		}
		both.Wait()
		require.EqualValues(t, 1, removed.Load())
		require.Equal(t, 1, r.List().Len())
	}

	var none *Registry
	require.False(t, none.Remove("x"))
	require.NotPanics(t, func() { none.SetTexts(Texts{NoTools: "?"}) })
}

// A list over another leaves out what that one has, and refuses what is faulty
// or twice, as a registry does.
func TestListWith(t *testing.T) {
	named := func(name, about string) Tool {
		return New(name, about, func(context.Context, struct{}) (string, error) { return "", nil }, ReadOnly)
	}
	list := NewRegistry(named("a", "own")).List()
	with, err := list.With(named("a", "other"), named("b", "other"))
	require.NoError(t, err)
	require.Equal(t, "own", with.Specs()[0].Description)
	require.Equal(t, 2, with.Len())
	require.Equal(t, 1, list.Len())

	with, err = list.With(named("b", ""), named("b", ""), named("c d", ""))
	require.Nil(t, with)
	require.ErrorIs(t, err, ErrDuplicate)
	require.ErrorIs(t, err, ErrBadName)
	require.ErrorContains(t, err, `tool: adding "b": the name is taken`)
	require.ErrorContains(t, err, `tool: adding "c d": `)
}
