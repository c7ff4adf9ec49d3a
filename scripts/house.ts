/** `npm run house`: the size and shape of `src/` in twelve figures, and the list behind each. */
import { oneOf, optionsOf } from './command-line/read-options.ts';
import { type Figures, measure, TARGETS } from './house/figures.ts';
import { LIST_NAMES, listOf } from './house/lists.ts';
import { readProject } from './house/read.ts';

const HELP = `Measures src/ without its tests.

Usage: npm run house [-- options]

  --json        prints the figures as one JSON object, on the last line
  --list NAME   prints the entries behind a figure, with path:line
  --help        this page

Figures:
  files, lines         number of files, lines of all files
  median, max_file     lines of the median file and of the longest
  max_function         code lines of the longest function: nested functions count, blank lines and comments do not
  largest_folder       files directly in the largest folder that plan.ts does not list as uniform
  longest_chain        files in the longest path of static imports, type-only imports aside
  double_names         names that two files export other than by re-export
  kernel_entry_files   kernel files that other folders import
  root_exports         names that src/index.ts exports
  private_words        distinct names (declared identifiers, files, folders) that contain a private word of plan.ts
  runtime_methods      callable members at the top level of the Ambit interface

Lists: ${LIST_NAMES.join(', ')}

Examples:
  npm run house
  npm run house -- --json
  npm run house -- --list private_words
  npm run --silent house -- --list functions | head`;

const command = {
  name: 'npm run house',
  help: HELP,
  flags: { json: { type: 'boolean' }, list: { type: 'string' } },
} as const;
const options = optionsOf(command);
const list = options.list === undefined ? null : oneOf(command, 'list', options.list, LIST_NAMES);
const project = readProject(new URL('..', import.meta.url).pathname, ['src/**/*.ts']);

if (list !== null) for (const line of listOf(project, list)) console.log(line);
else {
  const figures = measure(project);
  console.log(options.json === true ? JSON.stringify(figures) : table(figures));
}

function table(figures: Figures): string {
  const names = Object.keys(figures) as (keyof Figures)[];
  const rows = names.map((name) => {
    const [now, target] = [figures[name], TARGETS[name]];
    return [name, String(now), `≤ ${target}`, now > target ? 'over' : ''];
  });
  return [['figure', 'now', 'target', ''], ...rows]
    .map(([name = '', now = '', target = '', note = '']) =>
      `${name.padEnd(20)}${now.padStart(8)}  ${target.padEnd(8)} ${note}`.trimEnd(),
    )
    .join('\n');
}
