import type { AmbitOptions } from '../../agent/options.ts';
import { optionPaths } from '../../model/json/option-paths.ts';
import type { HostOptions } from '../../session/host.ts';

/**
 * The origin of a value. `stated`: an option says it. `named`: it comes from a table that an option names, such as a
 * shipped budget. `default`: no option says it. `derived`: it follows from other lines.
 */
export type LineSource = 'stated' | 'named' | 'default' | 'derived';

export interface ExplainedLine {
  readonly name: string;
  readonly value: string;
  readonly source: LineSource;
  /** The reason for a value that no option states. */
  readonly why?: string;
  /** The option that changes the value. */
  readonly option?: string;
}

export interface ExplainedSection {
  readonly title: string;
  readonly lines: readonly ExplainedLine[];
}

/** An assembled agent in plain words: what it may do, and which of its values are defaults. */
export interface AgentExplanation {
  readonly agent: string;
  readonly sections: readonly ExplainedSection[];
}

/** The declared options of an agent, the agent as it was assembled from them, and the options that its author wrote. */
export interface ExplainFacts {
  readonly options: AmbitOptions;
  readonly assembled: HostOptions;
  readonly isStated: (option: string) => boolean;
}

/** Options of `ambit()`. All others are options of `agent()`. */
const RUNTIME_OPTIONS: readonly string[] = ['store', 'limits', 'graph', 'world'];

export function explainFacts(options: AmbitOptions, assembled: HostOptions): ExplainFacts {
  const { store, limits, graph, world, stated } = options;
  const policy = optionPaths(world?.policy ?? {}).map((path) => `world.policy.${path}`);
  const runtime = new Set([...optionPaths({ store, limits, graph, world }), ...policy]);
  const isStated = (option: string): boolean =>
    RUNTIME_OPTIONS.includes(option.split('.')[0] ?? '')
      ? runtime.has(option)
      : stated === undefined || stated.includes(option);
  return { options, assembled, isStated };
}

interface OptionLine {
  readonly name: string;
  readonly value: string;
  readonly option: string;
  /** The reason for the default. */
  readonly why: string;
}

/** A line whose value an option sets. It is a default if the author left the option out. */
export const optionLine = (isStated: boolean, { name, value, option, why }: OptionLine): ExplainedLine =>
  isStated ? { name, value, source: 'stated', option } : { name, value, source: 'default', why, option };

export const statedLine = (name: string, value: string, option: string): ExplainedLine => ({
  name,
  value,
  source: 'stated',
  option,
});

export const namedLine = (name: string, value: string, why: string, option: string): ExplainedLine => ({
  name,
  value,
  source: 'named',
  why,
  option,
});

export const derivedLine = (name: string, value: string, why: string): ExplainedLine => ({
  name,
  value,
  source: 'derived',
  why,
});

export const joinNames = (names: readonly string[], none = 'none'): string =>
  names.length === 0 ? none : names.join(', ');

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A duration in its largest whole unit, such as `24 h` or `90 s`. */
export function formatMs(ms: number): string {
  const unit = UNITS.find(([size]) => ms >= size && ms % size === 0);
  return unit === undefined ? `${ms} ms` : `${ms / unit[0]} ${unit[1]}`;
}
