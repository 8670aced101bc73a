package worker

const noReap = 0x1000000 // WNOWAIT
