export function LandingPage() {
  return <main>STOLAS</main>;
}
