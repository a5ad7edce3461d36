// Starts the Gondwana kernel. usage: node start.mjs CONNECTION_FILE
import { fileURLToPath } from 'node:url';
import { launch } from '../../dist/kernel/launcher.js';

const main = fileURLToPath(new URL('../../dist/kernel/main.js', import.meta.url));
launch({ main, args: process.argv.slice(2) });
