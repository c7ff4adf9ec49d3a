import { hash } from 'node:crypto';
import type { Hash } from '../../model/hash.ts';

/** The one-shot form, because every frame is hashed when it is written and again when it is read. */
export const sha256: Hash = (text) => hash('sha256', text, 'hex');
