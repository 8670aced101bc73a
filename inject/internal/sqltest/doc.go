// Package sqltest tests inject.Run.DB with real drivers. It is apart, so that who
// imports inject has none of them in its go.sum.
package sqltest
