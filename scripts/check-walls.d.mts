export function cruiseWalls(folder: string): Promise<{
  modules: { source: string }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
}>;
