import { isShipped, type SourceFile } from './resolve.ts';

/** The longest path of static imports among the files of `src/`, type-only imports aside, importer first. */
export function longestChain(files: readonly SourceFile[]): readonly string[] {
  const shipped = new Map(files.filter(isShipped).map((file) => [file.path, file]));
  const chains = new Map<string, readonly string[]>();
  const chainFrom = (path: string): readonly string[] => {
    const known = chains.get(path);
    if (known !== undefined) return known;
    chains.set(path, []); // ends the search at an import cycle, which another rule reports
    let longest: readonly string[] = [];
    for (const { file, isTypeOnly, isDynamic } of shipped.get(path)?.targets ?? [])
      if (!isTypeOnly && isDynamic !== true && file !== null && shipped.has(file)) {
        const chain = chainFrom(file);
        if (chain.length > longest.length) longest = chain;
      }
    const chain = [path, ...longest];
    chains.set(path, chain);
    return chain;
  };
  return [...shipped.keys()].map(chainFrom).reduce((a, b) => (b.length > a.length ? b : a), []);
}
