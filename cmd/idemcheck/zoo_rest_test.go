package main

var keyPolicies, designs, workers, broken []animal
