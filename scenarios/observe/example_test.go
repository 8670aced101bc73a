package observe_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemcheck/idemcheck/scenarios/observe"
)

// Charges are counted in the service's own database, read only.
func ExampleOpenSQL() {
	dir, err := os.MkdirTemp("", "observe")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "shop.db")
	shop, err := sql.Open("sqlite", file)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shop.Close()
	if _, err := shop.Exec("create table charges (order_id text); insert into charges values ('o1'), ('o1'), ('o2')"); err != nil {
		fmt.Println(err)
		return
	}

	charges, err := observe.OpenSQL("sqlite:"+file, "select order_id as id, count(*) as n from charges where order_id in (:ids) group by 1 order by 1", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer charges.Close()
	counts, err := charges.Read(context.Background(), observe.Query{IDs: []string{"o1", "o2", "o3"}})
	for _, c := range counts {
		fmt.Println(c.ID, c.N)
	}
	fmt.Println(err)
	// Output:
	// o1 2
	// o2 1
	// <nil>
}
