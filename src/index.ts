export { GondwanaError, InputError, RunError, StoppedError, UsageError } from './errors.js';
export { defineStudy, type Study } from './studies/define-study.js';
export { loadStudy, shippedStudies } from './studies/load-study.js';
