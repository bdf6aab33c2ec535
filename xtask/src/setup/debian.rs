//! Debian's packages by name, unpacked into private folders: nothing is installed, and no architecture is added to the
//! system.

use crate::command::{output, run};
use anyhow::{Context, Result, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Where packages come from.
pub(super) struct Apt {
    /// The configuration of lists of its own.
    config: Option<PathBuf>,
}

impl Apt {
    /// The machine's own lists.
    pub(super) fn of_machine() -> Self {
        Self { config: None }
    }

    /// Lists in the folder `home`, from the machine's own sources, with another architecture's packages besides.
    pub(super) fn with_architecture(home: &Path, architecture: &str) -> Result<Self> {
        let host = output(Command::new("dpkg").arg("--print-architecture"))?;
        Self::private(home, &[host.trim(), architecture], "")
    }

    /// Lists in the folder `home` of another release of Debian, from where the machine's own packages come, for these
    /// architectures.
    pub(super) fn of_release(home: &Path, release: &str, architectures: &[&str]) -> Result<Self> {
        let format = "$(REPO_URI) $(COMPONENT) $(CODENAME)";
        let targets = output(Command::new("apt-get").args([
            "indextargets",
            "--format",
            format,
            "Created-By: Packages",
        ]))?;
        let own = targets.lines().find_map(|line| {
            let mut words = line.split(' ');
            let (uri, component, codename) = (words.next()?, words.next()?, words.next()?);
            (component == "main" && !codename.contains('-')).then(|| uri.to_owned())
        });
        let own = own.context("apt's lists here name no source of Debian's packages")?;
        fs::create_dir_all(home)?;
        let sources = home.join("sources.list");
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        fs::write(&sources, format!("deb [signed-by={key}] {own} {release} main\n"))?;
        let more = format!(
            "Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"/dev/null\";\n",
            sources.display()
        );
        Self::private(home, architectures, &more)
    }

    fn private(home: &Path, architectures: &[&str], more: &str) -> Result<Self> {
        for folder in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(home.join(folder))?;
        }
        fs::write(home.join("status"), "")?;
        let list: String = architectures.iter().map(|name| format!("{name:?};")).collect();
        let text = format!(
            "Dir::State \"{0}\";\nDir::State::status \"{0}/status\";\nDir::Cache \"{0}/cache\";\n\
             #clear APT::Architectures;\nAPT::Architectures {{{list}}};\nAPT::Sandbox::User \"\";\n\
             Acquire::Languages \"none\";\n{more}",
            home.display()
        );
        let config = home.join("apt.conf");
        let known = fs::read_to_string(&config).is_ok_and(|found| found == text);
        fs::write(&config, text)?;
        let apt = Self { config: Some(config) };
        if !known || apt.command("apt-cache").args(["pkgnames"]).output()?.stdout.is_empty() {
            apt.update()?;
        }
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        if let Some(config) = &self.config {
            command.env("APT_CONFIG", config);
        }
        command
    }

    /// Fetches the lists anew.
    pub(super) fn update(&self) -> Result<()> {
        run(self.command("apt-get").args(["update", "-qq"]))
    }

    /// The version of a package that apt would install.
    pub(super) fn candidate(&self, package: &str) -> Result<Option<String>> {
        let policy = output(self.command("apt-cache").args(["policy", package]))?;
        let line = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
        Ok(line.filter(|version| *version != "(none)").map(str::to_owned))
    }

    /// The versions of a package that there are.
    pub(super) fn versions(&self, package: &str) -> Result<Vec<String>> {
        let list = output(self.command("apt-cache").args(["madison", package]))?;
        Ok(list.lines().filter_map(|line| Some(line.split('|').nth(1)?.trim().to_owned())).collect())
    }

    /// The first dependency of a package whose name begins so.
    pub(super) fn dependency(&self, package: &str, prefix: &str) -> Result<String> {
        let list = output(self.command("apt-cache").args(["depends", package]))?;
        let mut names = list.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
        names
            .find(|name| name.starts_with(prefix))
            .map(str::to_owned)
            .with_context(|| format!("{package} depends on no {prefix}…"))
    }

    /// A package and all that it depends on.
    pub(super) fn closure(&self, package: &str) -> Result<Vec<String>> {
        let mut command = self.command("apt-cache");
        command.args(["depends", "--recurse", package]);
        for kind in ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"] {
            command.arg(format!("--no-{kind}"));
        }
        let list = output(&mut command)?;
        let is_name = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphanumeric());
        Ok(list.lines().filter(is_name).map(str::to_owned).collect())
    }

    /// Fetches packages, `NAME`, `NAME:ARCHITECTURE` or either with `=VERSION`, and unpacks them into a folder.
    pub(super) fn unpack(&self, packages: &[String], into: &Path) -> Result<()> {
        let debs = tempfile::tempdir_in(into.parent().context("a folder in a folder")?)?;
        let fetch = || {
            let mut command = self.command("apt-get");
            command
                .args(["download", "-qq", "-o", "APT::Sandbox::User=root"])
                .args(packages)
                .current_dir(debs.path());
            run(&mut command)
        };
        // A machine's lists may name files that newer ones have replaced.
        if fetch().is_err() {
            self.update()?;
            fetch()?;
        }
        let mut unpacked = 0;
        for deb in fs::read_dir(debs.path())? {
            let deb = deb?.path();
            if deb.extension().is_some_and(|extension| extension == "deb") {
                run(Command::new("dpkg-deb").arg("-x").arg(deb).arg(into))?;
                unpacked += 1;
            }
        }
        if unpacked == 0 {
            bail!("apt-get fetched none of {}", packages.join(", "));
        }
        Ok(())
    }
}
