package skill_test

import (
	"fmt"
	"testing/fstest"

	"github.com/triad-go/triad/tool/skill"
)

func ExampleLibrary() {
	files := fstest.MapFS{ // or skill.Folder("skills")
		"release/SKILL.md": {Data: []byte("---\nname: release\ndescription: Makes a release: tag, notes, upload\n---\n1. Run the tests.\n")},
		"draft/SKILL.md":   {Data: []byte("Not finished.\n")},
	}
	library := &skill.Library{Sources: []skill.Source{{FS: files, Dir: "skills"}}}
	for _, warning := range library.Load() {
		fmt.Println(warning)
	}
	fmt.Println(library.Catalog())
	// Output:
	// skill: skills/draft/SKILL.md: left out: it does not begin with front matter (a line ---)
	// - release: Makes a release: tag, notes, upload
}
