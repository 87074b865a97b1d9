/** What runs until it is stopped. */
export type Stoppable = { stop(): Promise<void> };

/**
 * Chooses, among the processes of a service, the one that does what only one should do, such as hourly work. For some seconds two may think
 * that they lead: a connection was lost, and its former holder has not noticed yet. So whatever they do must be right when two do it, and
 * leading only saves work.
 */
export type Leader = {
  isLeading(): boolean;
  /**
   * Starts a duty whenever this process becomes the leader, at once when it is, and stops it when it no longer is. A duty that cannot be
   * started is logged, and started again when this process becomes the leader again.
   * @param what what the duty does, for the log
   */
  whileLeading(what: string, start: () => Stoppable | Promise<Stoppable>): void;
  /** Stops the duties, the last first, and lets another process lead. */
  stop(): Promise<void>;
};
