import type { EventBody } from '../../../model/event.ts';

/** Something that somebody will say. */
export interface Planned {
  readonly at: number;
  readonly body: EventBody;
}
