// The real launcher, with the stand-in kernel. usage: node stand-in-launcher.mjs CONNECTION_FILE [memory limit in MB]
import { fileURLToPath } from 'node:url';
import { launch } from '../../../dist/kernel/launcher.js';

const main = fileURLToPath(new URL('./stand-in-kernel.mjs', import.meta.url));
launch({ main, args: process.argv.slice(2) });
