/** The browser of the tests. */
export const CHROMIUM = process.env.GONDWANA_CHROMIUM ?? '/usr/bin/chromium';

/** Without sandbox, as tests may run as root, and without requests of its own. */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
