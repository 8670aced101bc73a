package grpcinject

import (
	"encoding/json"
	"reflect"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// encode is a message as JSON. Codecs of the user have messages of any type.
func encode(m any) ([]byte, error) {
	if p, ok := m.(proto.Message); ok {
		return protojson.Marshal(p)
	}
	return json.Marshal(m)
}

// changed is a message like one, with what JSON says.
func changed(like any, text []byte) (any, error) {
	m := fresh(like)
	if p, ok := m.(proto.Message); ok {
		return p, protojson.Unmarshal(text, p)
	}
	return m, json.Unmarshal(text, m)
}

// fresh is an empty message of the type of another.
func fresh(like any) any {
	if p, ok := like.(proto.Message); ok {
		return p.ProtoReflect().New().Interface()
	}
	if t := reflect.TypeOf(like); t != nil && t.Kind() == reflect.Pointer {
		return reflect.New(t.Elem()).Interface()
	}
	return like
}

// copyMessage puts one message into another.
func copyMessage(to, from any) {
	if p, ok := to.(proto.Message); ok {
		proto.Reset(p)
		proto.Merge(p, from.(proto.Message))
		return
	}
	if v := reflect.ValueOf(to); v.Kind() == reflect.Pointer && to != from {
		v.Elem().Set(reflect.ValueOf(from).Elem())
	}
}
