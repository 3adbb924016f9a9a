// Closes its standard input without reading it.
import { closeSync } from 'node:fs';

closeSync(0);
console.log('closed');
