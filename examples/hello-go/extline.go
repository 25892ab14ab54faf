package main

/*
#cgo pkg-config: extline
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"fmt"
	"os/signal"
	"runtime/cgo"
	"syscall"
	"unsafe"
)

// Extension is a program that talks with its host over stdin and stdout.
type Extension struct{ ext *C.extline_extension }

// Call is something that the host waits for an answer to; valid while its handler runs.
type Call struct{ call *C.extline_call }

// Handler gets the arguments of a tool as JSON, those of a command as the user typed them.
type Handler func(call Call, args string)

// New begins an extension. A mistake is the program's, so it panics.
func New(name, version string) Extension {
	cName, cVersion := C.CString(name), C.CString(version)
	defer C.free(unsafe.Pointer(cName))
	defer C.free(unsafe.Pointer(cVersion))
	ext := C.extline_new(cName, cVersion)
	if ext == nil {
		panic(C.GoString(C.extline_last_error()))
	}
	return Extension{ext}
}

// Tool registers what a model may call. C takes no Go pointer, so it is given a handle's number.
func (e Extension) Tool(name, description, schema string, run Handler) {
	texts := cStrings(name, description, schema)
	defer free(texts)
	check(C.add_tool(e.ext, texts[0], texts[1], texts[2], C.uintptr_t(cgo.NewHandle(run))))
}

// Command registers what a user types behind a slash.
func (e Extension) Command(name, description string, run Handler) {
	texts := cStrings(name, description)
	defer free(texts)
	check(C.add_command(e.ext, texts[0], texts[1], C.uintptr_t(cgo.NewHandle(run))))
}

// Run serves until the host ends it, and returns an exit status.
func (e Extension) Run() int {
	// Go's own handler would end the program at SIGTERM; the library ends the session first.
	signal.Ignore(syscall.SIGTERM)
	defer C.extline_free(e.ext)
	return int(C.extline_run(e.ext))
}

// String takes a string out of a tool's arguments; where there is none, the call is answered with
// that, and the handler returns.
func (c Call) String(pointer string) (string, bool) {
	at := C.CString(pointer)
	defer C.free(unsafe.Pointer(at))
	var text C.extline_str
	if C.extline_args_string(c.call, at, &text) != C.EXTLINE_OK {
		return "", false
	}
	return goString(text), true
}

// Text answers. Of a command it is shown to the user.
func (c Call) Text(text string) {
	chars := C.CString(text)
	defer C.free(unsafe.Pointer(chars))
	C.extline_call_text_n(c.call, chars, C.size_t(len(text)))
}

// Error answers with an error of one of the protocol's kinds.
func (c Call) Error(kind, message string) {
	texts := cStrings(kind, message)
	defer free(texts)
	C.extline_call_error(c.call, texts[0], texts[1])
}

// goHandle is called by C, in any thread. A panic must not leave it.
//
//export goHandle
func goHandle(user C.uintptr_t, call *C.extline_call, args C.extline_str) {
	it := Call{call}
	defer func() {
		if cause := recover(); cause != nil {
			it.Error("internal", fmt.Sprint("panic: ", cause))
		}
	}()
	cgo.Handle(user).Value().(Handler)(it, goString(args))
}

//export goDrop
func goDrop(user C.uintptr_t) { cgo.Handle(user).Delete() }

func goString(text C.extline_str) string { return C.GoStringN(text.ptr, C.int(text.len)) }

func cStrings(texts ...string) (all []*C.char) {
	for _, text := range texts {
		all = append(all, C.CString(text))
	}
	return all
}

func free(texts []*C.char) {
	for _, text := range texts {
		C.free(unsafe.Pointer(text))
	}
}

func check(result C.extline_result) {
	if result != C.EXTLINE_OK {
		panic(C.GoString(C.extline_last_error()))
	}
}
