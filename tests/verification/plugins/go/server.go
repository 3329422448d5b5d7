package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/go-msgpack/codec"
)

// The service behind the provider has one server, which it stores in this file in Terraform's folder. It changes the
// labels and the address in two calls, and refuses takenAddress in the second call.
const (
	serverFile   = "server.msgpack"
	takenAddress = "192.0.2.9"
)

type state map[string]interface{}

var msgpack = &codec.MsgpackHandle{RawToString: true, WriteExt: true}

func decodeState(value *dynamicValue) state {
	var decoded state
	if err := codec.NewDecoderBytes(value.Msgpack, msgpack).Decode(&decoded); err != nil {
		panic(err)
	}
	return decoded
}

func (s state) encode() *dynamicValue {
	if s == nil {
		return &dynamicValue{Msgpack: []byte{0xc0}} // null: the codec would encode a nil map as an empty one
	}
	var encoded []byte
	if err := codec.NewEncoderBytes(&encoded, msgpack).Encode(map[string]interface{}(s)); err != nil {
		panic(err)
	}
	return &dynamicValue{Msgpack: encoded}
}

func (s state) store() {
	if err := os.WriteFile(serverFile, s.encode().Msgpack, 0o600); err != nil {
		panic(err)
	}
}

func accept(*message) (interface{}, error) {
	return &message{}, nil
}

func upgradeState(request *upgradeRequest) (interface{}, error) {
	return &stateResponse{State: &dynamicValue{JSON: request.State.Msgpack}}, nil
}

func readServer(*stateRequest) (interface{}, error) {
	content, err := os.ReadFile(serverFile)
	if err != nil {
		return &stateResponse{State: state(nil).encode()}, nil
	}
	return &stateResponse{State: &dynamicValue{Msgpack: content}}, nil
}

func planServer(request *stateRequest) (interface{}, error) {
	planned := decodeState(request.Planned)
	if planned != nil && planned["id"] == nil {
		planned["id"] = codec.RawExt{Data: []byte{0}} // how Terraform encodes an unknown value
	}
	return &stateResponse{State: planned.encode()}, nil
}

func applyServer(request *stateRequest) (interface{}, error) {
	prior, planned := decodeState(request.Prior), decodeState(request.Planned)
	if planned == nil {
		os.Remove(serverFile)
		return &stateResponse{State: planned.encode()}, nil
	}
	if prior == nil {
		planned["id"] = "server-1"
	} else if planned["address"] == takenAddress {
		return failUpdate(prior, planned), nil
	}
	planned.store()
	return &stateResponse{State: planned.encode()}, nil
}

// failUpdate changes the labels but not the address, and returns an error.
func failUpdate(prior, planned state) *stateResponse {
	current := state{}
	for name, value := range planned {
		current[name] = value
	}
	current["address"] = prior["address"]
	current.store()
	detail := fmt.Sprintf("Another server has the address %s.", takenAddress)
	response := &stateResponse{State: current.encode(), Diagnostics: []*diagnostic{{Severity: 1, Summary: "Address in use", Detail: detail}}}
	switch fault {
	case "saves-failed-update":
		response.State = planned.encode()
	case "loses-partial-update":
		response.State = prior.encode()
	case "vague-error":
		response.Diagnostics = []*diagnostic{{Severity: 1, Summary: "Update failed"}}
	case "no-error":
		response = &stateResponse{State: planned.encode()}
	case "update-panics":
		panic("address in use")
	case "error-after-full-update":
		planned.store()
		response.State = planned.encode()
	}
	return response
}
