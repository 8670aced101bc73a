package inject_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"

	"github.com/idemcheck/idemcheck/checkers"
	"github.com/idemcheck/idemcheck/checkers/contract"
	"github.com/idemcheck/idemcheck/inject"
)

// A service that takes the error of a COMMIT for a no, and inserts the charge
// again. Nothing of it knows of the test: each new row in charges is an effect.
func ExampleRun_DB() {
	t := &exampleT{name: "TestCharges"}
	defer t.end()
	plain := sql.OpenDB(noDatabase{}) // in place of a real one
	defer plain.Close()

	run := inject.Options{Faults: []inject.Fault{inject.LoseReply}, Say: "Order ${id} was charged"}.Start(t)
	db := run.DB(plain, inject.Inserts{Table: "charges", ID: "order_id"})
	charge := func(order string) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec("insert into charges values (?, 500)", order); err != nil {
			return err
		}
		return tx.Commit()
	}
	client := run.Client(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		order := strings.TrimPrefix(r.URL.Path, "/charges/")
		if charge(order) != nil {
			_ = charge(order)
		}
	}))
	for order := range run.IDs(2) {
		if _, err := client.Post("http://shop/charges/"+order, "", nil); err != nil {
			fmt.Println(err)
		}
	}
	for _, c := range checkers.Judge(run.History(), contract.Contract{}, checkers.ExactlyOnce).Cases {
		for _, v := range c.Violations {
			fmt.Println(v.Reason)
		}
	}
	// Output: Order order-1 was charged 2 times at charges. 1 was allowed.
}
