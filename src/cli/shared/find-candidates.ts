import type { Argument, Command, CompletionKind, Flag } from '../command.ts';
import { SHARED_FLAGS } from '../parse-line.ts';

/** Candidates for the word under the cursor: fixed words, or a kind of id to look up. */
export type Candidates = { readonly words: readonly string[] } | { readonly kind: CompletionKind };

/** `typed` holds the words after `ambit`. The last one is being typed and may be empty. */
export function findCandidates(commands: readonly Command[], typed: readonly string[]): Candidates {
  const before = typed.slice(0, -1);
  const partial = typed.at(-1) ?? '';
  const command = findCommand(commands, before);
  if (command === null) return { words: listNextWords(commands, before) };
  const flags = [...(command.flags ?? []), ...SHARED_FLAGS];
  const open = flags.find((flag) => hasValue(flag) && getLongName(flag) === before.at(-1));
  if (open !== undefined) return getCandidates(open);
  if (partial.startsWith('-')) return { words: flags.map(getLongName) };
  const next = command.args?.[countArguments(command, flags, before)];
  return next === undefined ? { words: flags.map(getLongName) } : getCandidates(next);
}

const getLongName = ({ flag }: Flag): string => flag.split(' ')[0] ?? '';

const hasValue = ({ flag }: Flag): boolean => flag.includes('<');

function getCandidates({ choices, completion }: Argument | Flag): Candidates {
  if (choices !== undefined) return { words: choices };
  return completion === undefined ? { words: [] } : { kind: completion };
}

function findCommand(commands: readonly Command[], typed: readonly string[]): Command | null {
  for (const length of [2, 1]) {
    const found =
      typed.length >= length ? commands.find(({ name }) => name === typed.slice(0, length).join(' ')) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}

/** Lists the first words of all commands, or the second words of a group. */
function listNextWords(commands: readonly Command[], [group]: readonly string[]): readonly string[] {
  const names = commands.map(({ name }) => name.split(' '));
  if (group === undefined) return [...new Set(names.map(([first = '']) => first))];
  return names.flatMap(([first, second]) => (first === group && second !== undefined ? [second] : []));
}

function countArguments({ name }: Command, flags: readonly Flag[], typed: readonly string[]): number {
  const rest = typed.slice(name.split(' ').length);
  return rest.filter((word, at) => {
    const previous = flags.find((flag) => getLongName(flag) === rest[at - 1]);
    return !word.startsWith('-') && !(previous !== undefined && hasValue(previous));
  }).length;
}
