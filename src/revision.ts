/** Revision of the numerics: raised by hand when the results of any run change. Part of every run's id. */
export const REVISION = 6;
