import type { RunDriver } from '../../records.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatInstant } from './format.ts';

/** The origin of a run that was forked or imported. Both fields are null for a run that started here. */
export interface RunOrigin {
  readonly fork: {
    readonly of: string;
    /** The checkpoint at which the fork starts. */
    readonly at: string;
    readonly simulated: boolean;
  } | null;
  readonly imported: { readonly at: number; readonly exportedAt: number } | null;
}

export const LOCAL_ORIGIN: RunOrigin = Object.freeze({ fork: null, imported: null });

function describeOrigin({ fork, imported }: RunOrigin): string {
  return [
    ...(fork === null ? [] : [`${fork.simulated ? 'simulated fork' : 'fork'} of ${fork.of} at ${fork.at}`]),
    ...(imported === null ? [] : [`imported, exported ${formatInstant(imported.exportedAt)}`]),
  ].join('; ');
}

/** Renders the origin as the last cell of a row. Returns no cell for a run that started here. */
export function renderOriginCell(origin: RunOrigin, paint: Paint): readonly string[] {
  const text = describeOrigin(origin);
  return text === '' ? [] : [paint('warning', text)];
}

/** Renders the origin as a warning line: a simulated or imported run has not changed anything here. */
export const renderOriginLines = (origin: RunOrigin, paint: Paint): readonly string[] =>
  renderOriginCell(origin, paint).map((text) => `  ${text}`);

/** Facts about a run that its outcome does not contain. */
export interface RunDetails {
  readonly origin: RunOrigin;
  /** The process that drives the run, if it is not this one. */
  readonly driver: Extract<RunDriver, { readonly here: false }> | null;
}

/** Describes a driver: `process 4711 on host`. The boot id after the machine name is left out. */
export const describeDriver = ({ pid, machine }: NonNullable<RunDetails['driver']>): string =>
  `process ${pid} on ${machine.split(' ')[0]}`;
