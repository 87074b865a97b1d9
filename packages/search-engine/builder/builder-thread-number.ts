/** The thread number of the builder; search threads have the following ones. */
export const builderThread = 0;
