// Like forever.mjs, but asking it to end does not help.
process.on('SIGTERM', () => console.log('still here'));
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
console.log(JSON.stringify({ pid: process.pid }));
setInterval(() => {}, 1_000_000);
