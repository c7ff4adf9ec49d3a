import {
  type Action,
  type Argument,
  argument,
  type Command,
  type CompletionKind,
  type Flag,
  getExitCode,
} from '../command.ts';
import { SHARED_FLAGS } from '../parse-line.ts';

/** Candidates for the word under the cursor: fixed words, or a kind of id to look up. */
export type Candidates = { readonly words: readonly string[] } | { readonly kind: CompletionKind };

/** Completes a command line for the shell. Returns no file names, which the shell completes itself. */
export async function completeLine(commands: readonly Command[], typed: readonly string[]): Promise<readonly string[]> {
  const found = findCandidates(commands, typed);
  if ('words' in found) return found.words;
  // A broken config must not print an error into the user's prompt.
  return await lookUpIds(found.kind).catch(() => []);
}

async function lookUpIds(kind: CompletionKind): Promise<readonly string[]> {
  if (kind === 'file' || kind === 'folder') return [];
  const { loadConfig, openRuntime } = await import('../config/load-config.ts');
  const loaded = await loadConfig(null);
  if (kind === 'agent') return loaded.config.agents.map(({ spec }) => spec.name);
  const runtime = openRuntime(loaded);
  try {
    if (kind === 'session') return (await runtime.sessions.list({ limit: 50 })).map(({ runId }) => runId);
    const { groups, deferred } = await runtime.gates.list();
    return [...groups.flatMap(({ items }) => items), ...deferred].map(({ gate }) => gate.gate_id);
  } finally {
    await runtime.close();
  }
}

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

/** Completion scripts. They call `ambit __complete`, so that an installed script also knows commands of later versions. */
const SCRIPTS = {
  bash: `_ambit() {
  local IFS=$'\\n'
  local found
  found="$(ambit __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ambit ambit`,
  zsh: `#compdef ambit
_ambit() {
  local -a found
  found=("\${(@f)$(ambit __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
compdef _ambit ambit`,
  fish: `complete -c ambit -f -a '(set -l words (commandline -opc) (commandline -ct); ambit __complete $words[2..] 2>/dev/null)'`,
};

export const printCompletionAction: Action = async (call) => {
  // The command table admits only these shells.
  const shell = argument(call, 'shell') as keyof typeof SCRIPTS;
  const script = SCRIPTS[shell];
  call.terminal.show({ shell, script }, () => script);
  return getExitCode('done');
};
