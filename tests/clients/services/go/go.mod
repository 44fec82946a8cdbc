module service

go 1.22

require choreomon v0.0.0

replace choreomon => ../../../../clients/go
