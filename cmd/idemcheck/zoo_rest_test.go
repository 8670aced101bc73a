package main

var designs, workers, broken []animal
