// Prints as JSON what it was given: arguments, standard input, working folder and environment.
import { readFileSync } from 'node:fs';

const stdin = process.argv.includes('--stdin') ? readFileSync(0, 'utf8') : '';
console.log(JSON.stringify({ args: process.argv.slice(2), stdin, cwd: process.cwd(), env: process.env }));
