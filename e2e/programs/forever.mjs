// Says its number and then does nothing until it is ended.
console.log(JSON.stringify({ pid: process.pid }));
setInterval(() => {}, 1_000_000);
