// Runs before the first paint, so that a dark page does not flash light. The app keeps the choice in the same place.
(function () {
  var choice = null;
  try {
    choice = localStorage.getItem('theme');
  } catch (error) {
    // Storage may be forbidden; then the system decides.
  }
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.classList.toggle('dark', dark);
})();
