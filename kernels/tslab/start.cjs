// Starts plain tslab, wherever npm has put it: beside this package or inside it.
require('tslab/bin/tslab');
