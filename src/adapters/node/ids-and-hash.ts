import { hash, randomUUID } from 'node:crypto';
import type { Hash } from '../../model/json/hash.ts';
import type { Ids } from '../../ports/clock.ts';

/** Random ids. They are unguessable, so that a leaked id does not reveal the next one. */
export const randomIds: Ids = Object.freeze({ next: (prefix: string) => `${prefix}_${randomUUID()}` });

/** Uses the faster one-shot `hash`, because every frame is hashed when it is written and when it is read. */
export const sha256: Hash = (text) => hash('sha256', text, 'hex');
