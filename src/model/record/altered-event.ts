/** The first recorded event that does not follow from the inputs of its run: the record was altered. */
export interface AlteredEvent {
  /** The number of its frame, from 1. */
  readonly frame: number;
  readonly message: string;
}
