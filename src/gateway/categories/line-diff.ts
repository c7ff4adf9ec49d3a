/** Lines that are shown of a difference; whoever wants the rest looks at the arguments. */
const SHOWN_MAX = 200;

/** What a write changes, line by line: what the two texts have in common at both ends is left out. */
export function lineDiff(before: string | null, after: string): readonly string[] {
  const old = before === null ? [] : before.split('\n');
  const fresh = after.split('\n');
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end += 1;
  }
  const lines = [
    ...old.slice(start, old.length - end).map((line) => `-${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+${line}`),
  ];
  if (lines.length === 0) return [];
  const shown = [`@@ line ${start + 1} @@`, ...lines.slice(0, SHOWN_MAX)];
  return lines.length > SHOWN_MAX ? [...shown, `… and ${lines.length - SHOWN_MAX} lines more`] : shown;
}
