import { Fault } from '../../index.ts';
import type { Action } from '../command.ts';
import { exitOf } from '../exit-codes.ts';
import { word } from './with-runtime.ts';

/** Each asks the command itself, so that a script that was written once knows the commands of every later version. */
const SCRIPTS: Readonly<Record<string, string>> = {
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

export const completion: Action = async (call) => {
  const shell = word(call, 'shell');
  const script = SCRIPTS[shell];
  if (script === undefined)
    throw new Fault('input_invalid', `there are scripts for ${Object.keys(SCRIPTS).join(', ')}`);
  call.terminal.show({ shell, script }, () => script);
  return exitOf('done');
};
