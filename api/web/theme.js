/* Light or dark, settled before anything is painted: the system's, unless one was chosen here. */
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = remembered();

  function remembered() {
    try {
      return localStorage.getItem('deskside.theme');
    } catch {
      return null; // Private windows may refuse storage: the system's it is.
    }
  }

  function apply() {
    document.documentElement.dataset.theme = chosen ?? (system.matches ? 'dark' : 'light');
  }

  system.addEventListener('change', apply);
  addEventListener('storage', () => { chosen = remembered(); apply(); });
  addEventListener('deskside:theme', (event) => {
    const usual = system.matches ? 'dark' : 'light';
    // Back to what the system has means following it again.
    chosen = event.detail === usual ? null : event.detail;
    try {
      if (chosen) localStorage.setItem('deskside.theme', chosen);
      else localStorage.removeItem('deskside.theme');
    } catch {
      // Then the choice lasts until the page closes.
    }
    apply();
  });
  apply();
})();
