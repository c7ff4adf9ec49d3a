import type { Paint } from '../terminal/terminal.ts';
import { instant } from './instants.ts';

/** Where a run comes from, if it did not begin here with a request. */
export interface Origin {
  readonly fork: {
    readonly of: string;
    /** The checkpoint right before whose verdict it begins. */
    readonly at: string;
    /** Nothing it does reaches the world. */
    readonly simulated: boolean;
  } | null;
  readonly imported: { readonly at: number; readonly exportedAt: number } | null;
}

export const MADE_HERE: Origin = Object.freeze({ fork: null, imported: null });

/** In a few words; empty for a run that began here with a request. */
function originWords({ fork, imported }: Origin): string {
  return [
    ...(fork === null ? [] : [`${fork.simulated ? 'simulated fork' : 'fork'} of ${fork.of} at ${fork.at}`]),
    ...(imported === null ? [] : [`imported, exported ${instant(imported.exportedAt)}`]),
  ].join('; ');
}

/** As the last cell of a row, which most rows do not have. */
export function originCell(origin: Origin, paint: Paint): readonly string[] {
  const words = originWords(origin);
  return words === '' ? [] : [paint('waits', words)];
}

/** As a line that nobody overlooks: what such a run says it did, it may not have done. */
export const originLines = (origin: Origin, paint: Paint): readonly string[] =>
  originCell(origin, paint).map((words) => `  ${words}`);
