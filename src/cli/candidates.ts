import type { Command, Completes, Flag, Word } from './command.ts';
import { SHARED_FLAGS } from './parse-line.ts';

/** What could stand in the place of a word that somebody is typing: words to offer, or a kind of thing to look up. */
export type Candidates = { readonly words: readonly string[] } | { readonly kind: Completes };

/** `typed` are the words after `ambit`; the last one is the one that is being typed, and may be empty. */
export function candidatesFor(commands: readonly Command[], typed: readonly string[]): Candidates {
  const before = typed.slice(0, -1);
  const partial = typed.at(-1) ?? '';
  const command = commandIn(commands, before);
  if (command === null) return { words: nextWords(commands, before) };
  const flags = [...(command.flags ?? []), ...SHARED_FLAGS];
  const open = flags.find((flag) => takesValue(flag) && longName(flag) === before.at(-1));
  if (open !== undefined) return offered(open);
  if (partial.startsWith('-')) return { words: flags.map(longName) };
  const word = command.words?.[given(command, flags, before)];
  return word === undefined ? { words: flags.map(longName) } : offered(word);
}

const longName = ({ flag }: Flag): string => flag.split(' ')[0] ?? '';
const takesValue = ({ flag }: Flag): boolean => flag.includes('<');

function offered({ choices, completes }: Word | Flag): Candidates {
  if (choices !== undefined) return { words: choices };
  return completes === undefined ? { words: [] } : { kind: completes };
}

function commandIn(commands: readonly Command[], typed: readonly string[]): Command | null {
  for (const length of [2, 1]) {
    const found =
      typed.length >= length ? commands.find(({ name }) => name === typed.slice(0, length).join(' ')) : undefined;
    if (found !== undefined) return found;
  }
  return null;
}

/** The first words of commands, or the second ones of a group. */
function nextWords(commands: readonly Command[], [group]: readonly string[]): readonly string[] {
  const names = commands.map(({ name }) => name.split(' '));
  if (group === undefined) return [...new Set(names.map(([first = '']) => first))];
  return names.flatMap(([first, second]) => (first === group && second !== undefined ? [second] : []));
}

/** How many words of its own a command has been given. */
function given({ name }: Command, flags: readonly Flag[], typed: readonly string[]): number {
  const rest = typed.slice(name.split(' ').length);
  return rest.filter((word, at) => {
    const previous = flags.find((flag) => longName(flag) === rest[at - 1]);
    return !word.startsWith('-') && !(previous !== undefined && takesValue(previous));
  }).length;
}
