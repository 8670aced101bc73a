package worker

const noReap = 0x20 // WNOWAIT
