import { randomUUID } from 'node:crypto';
import type { Ids } from '../../ports/ids.ts';

/** Unguessable as well as unique: an id that leaks must not tell the next one. */
export const randomIds: Ids = Object.freeze({ next: (prefix: string) => `${prefix}_${randomUUID()}` });
