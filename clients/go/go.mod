module choreomon

go 1.22
