import type { EventBody, EventType } from '../model/event.ts';

/** What the front door answers to one question of the kernel: the body of the event that the loop will stamp. */
export type Answer<T extends EventType> = Extract<EventBody, { readonly type: T }>;
