// Prints bytes that are not valid UTF-8, and a character that arrives in two pieces.
process.stdout.write(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xc3]));
setTimeout(() => process.stdout.write(Buffer.from([0xa9, 0x0a, 0xe6, 0x88])), 30);
