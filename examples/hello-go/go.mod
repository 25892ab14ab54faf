module example.org/hello-go

go 1.21
