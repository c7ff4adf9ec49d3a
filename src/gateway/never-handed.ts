import { reasonOf } from '../model/printable.ts';

/** What went wrong on the way to a tool, before it was handed the call. Made by the gateway alone: no tool can say it of itself. */
export class NeverHanded extends Error {
  constructor(cause: unknown) {
    super(`not sent: ${reasonOf(cause)}`, { cause });
  }
}
