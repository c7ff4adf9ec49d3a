/** A process, under the name with which it signs the frames it writes, and until when it says that it is there. */
export interface Driver {
  readonly writer: string;
  /** Where it runs: processes of one machine can tell whether one of them is gone. */
  readonly machine: string;
  readonly pid: number;
  readonly since: number;
  /** Renewed while it drives. Whoever finds it passed may take over what the process drove. */
  readonly until: number;
}

/**
 * Who drives at the moment, process by process. A session is driven by whoever wrote its last frame, for as long as that
 * process says that it is there. This keeps others from trying; what keeps them from writing is the fence of the journal.
 */
export interface Drivers {
  /** Says that this process drives, until then. Saying it again renews it. */
  announce(driver: Driver): Promise<void>;
  /** Says that it does not any more. */
  leave(writer: string): Promise<void>;
  drivers(): Promise<readonly Driver[]>;
}

/** This process as others see it, and what it can tell of them. */
export interface ThisProcess {
  readonly machine: string;
  readonly pid: number;
  /** True only where it is certain: a process of another machine may always be there. */
  isGone(driver: Pick<Driver, 'machine' | 'pid'>): boolean;
}
